package memory

// MaxSize is how many bytes a file may have to take part in anything (D20).
const MaxSize = 8 << 20

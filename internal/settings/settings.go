// Package settings is what a person may choose: its names, its defaults, and how
// a text of it is read. It is pure: bytes in, a value and problems out. Who has
// such a text, and when it changes, is the business of the rooms that ask.
//
// There are three layers, and the later wins: the defaults, the file
// .memhtml/ls.jsonc of a repository, the person's own settings. A list replaces
// the list below it; a table is put over the one below it, entry by entry.
//
// A repository is not trusted: anybody may have written it. Only fields with the
// tag repository are read from one, and none of them can make a program run, a
// file be written or a connection be made. Editors are trusted less than the
// person's own file, because most of them put settings that a repository brings
// along over those of the person: fields with the tag editor "no" are not read
// from one.
package settings

//go:generate go run ./pages settings.go ../../docs ../../editors/vscode/package.json

// Settings are all there are. Each field is something that is read somewhere.
//
// The tags enum, min and max bound a value, of a list the number of its entries,
// of a string without enum its length in bytes.
// The comments are the text of docs/settings.md and of the schemas.
type Settings struct {
	Diagnostics Diagnostics `json:"diagnostics"`
	Embedder    Embedder    `json:"embedder"`
	Git         Git         `json:"git"`
	Log         Log         `json:"log"`
	Watch       Watch       `json:"watch"`
}

// Diagnostics are choices about findings.
type Diagnostics struct {
	// Severities gives a code another severity, or turns it off. The codes are
	// those of `memhtml-ls explain --all`.
	Severities map[string]string `json:"severities" enum:"off,error,warning,information,hint" repository:"yes"`
	// Exclude names memories that are not looked at: nothing is found in them and
	// `check` counts them apart. They stay what they are for the others: a memory
	// that says the same as an excluded one is a duplicate still, because memhtml
	// refuses the two all the same. An entry is a path below the root, in which
	// `*` stands for any letters of one name, `?` for one and `**` for any folders;
	// a folder stands for all in it.
	Exclude []string `json:"exclude" max:"100" repository:"yes"`
	// Mirror is what the earlier of two related memories shows: nothing, or a
	// hint that names the later one. The finding itself is on the later one, and a
	// hint is never counted.
	Mirror string `json:"mirror" enum:"off,hint"`
	// MaxFiles is how many files that are not open show findings in an editor at
	// once, in all roots together; those with the most severe findings are chosen.
	MaxFiles int `json:"maxFiles" min:"0" max:"1000000"`
	// Debounce is how many milliseconds the keyboard rests before findings that
	// need other files appear or go in an editor.
	Debounce int `json:"debounce" min:"0" max:"10000"`
}

// Embedder is where the vectors come from by which memories are found that say the
// same in other words.
type Embedder struct {
	// Use says what finds memories that say the same in other words. `wording` is
	// built in, needs nothing and sees through light rewording and formats.
	// `openai` is any server with `/v1/embeddings`, `ollama` one with `/api/embed`:
	// the claims of your memories are sent there. `memhtml` are the vectors that
	// memhtml has stored in `.memhtml/index.db`, which is only read.
	Use string `json:"use" enum:"wording,openai,ollama,memhtml" editor:"no"`
	// URL is the address of the server without the path of its protocol, such as
	// `http://127.0.0.1:11434`. A key is sent over https or to this machine only.
	URL string `json:"url" max:"2000" editor:"no"`
	// Model is the name under which the server knows the model.
	Model string `json:"model" max:"200" editor:"no"`
	// Key is what the server wants to see; the environment variable
	// `MEMHTML_LS_EMBEDDER_KEY` takes its place where there is none.
	Key string `json:"key" max:"4000" editor:"no"`
	// Dimensions is how many numbers a vector has; 0 leaves it to the model.
	Dimensions int `json:"dimensions" min:"0" max:"16384" editor:"no"`
	// Timeout is how many seconds one request may take.
	Timeout int `json:"timeout" min:"1" max:"600" editor:"no"`
	// Threshold is the cosine at and above which two claims are taken to say the
	// same, unless what differs between them says otherwise. `memhtml-ls calibrate`
	// shows what it does to your memories.
	Threshold float64 `json:"threshold" min:"0" max:"1" editor:"no"`
	// Related is the cosine at and above which two claims are shown in open files
	// as possibly the same; 1 shows none. It counts below the threshold only.
	Related float64 `json:"related" min:"0" max:"1" editor:"no"`
}

// Git are choices about commits.
type Git struct {
	// Hooks says whether the hooks that `git commit` would run are run for a
	// commit of ours. With `skip` none is run, and no repository is refused for
	// its hooks.
	Hooks string `json:"hooks" enum:"run,skip"`
}

// Log are choices about the log of the language server.
type Log struct {
	// Level is the mildest that the language server logs. Without it, it is what
	// the flag `--log-level` says.
	Level string `json:"level" enum:"debug,info,warn,error"`
}

// Watch are choices about how changes on disk are noticed.
type Watch struct {
	// Fsnotify says whether the language server also asks the operating system to
	// tell of changes in the folders of each root, the first 1,000 of them, or 50
	// on macOS. It looks for itself all the same; with `on` it looks sooner, above
	// all in large roots.
	Fsnotify string `json:"fsnotify" enum:"off,on"`
}

// Default returns the settings of somebody who chose nothing.
func Default() Settings {
	return Settings{
		Diagnostics: Diagnostics{Mirror: "off", MaxFiles: 1000, Debounce: 250},
		Embedder:    Embedder{Use: "wording", Timeout: 30, Threshold: 0.92, Related: 1},
		Git:         Git{Hooks: "run"},
		Watch:       Watch{Fsnotify: "off"},
	}
}

// Resolve puts layers over the defaults, the last one on top.
func Resolve(layers ...Layer) Settings {
	s := Default()
	for _, l := range layers {
		l.putOver(&s)
	}
	return s
}

package corpusgen

// None of the words is one that a frame hinges on (of, is, in, to, by, as).
var (
	subjects = []string{
		"retry limit", "pool ceiling", "drain window", "page size", "cache lifetime", "batch size", "queue depth",
		"backup interval", "lease time", "heartbeat", "upload limit", "token lifetime", "log retention", "quota",
		"worker count", "timeout", "rate limit", "shard count", "replica count", "grace period", "poll interval",
		"merge window", "freeze length", "review time", "alarm threshold", "sample rate", "buffer size", "port",
		"rotation period", "archive age", "warm-up time", "cool-down time", "index width", "vector length",
		"retry delay", "connection cap", "thread cap", "memory cap", "disk reserve", "packet size",
	}
	colours = []string{
		"amber", "azure", "black", "blue", "bronze", "brown", "coral", "crimson", "cyan", "gold", "green", "grey",
		"indigo", "ivory", "jade", "lilac", "lime", "maroon", "mauve", "mint", "navy", "ochre", "olive", "orange",
		"pearl", "pink", "plum", "purple", "red", "rose", "ruby", "rust", "sand", "scarlet", "silver", "slate",
		"teal", "violet", "white", "yellow",
	}
	systems = []string{
		"billing", "search", "mail", "ledger", "gateway", "scheduler", "catalogue", "checkout", "payroll", "courier",
		"archive", "observatory", "harbour", "kiln", "loom", "mill", "orchard", "quarry", "signal", "tannery",
		"vault", "weir", "workshop", "beacon", "canal", "dairy", "forge", "granary", "hangar", "laundry",
	}
	units   = []string{"seconds", "minutes", "entries", "requests", "megabytes", "connections", "files", "days"}
	fillers = []string{
		"and", "the", "we", "saw", "this", "after", "some", "long", "night", "when", "traffic", "rose", "before",
		"anyone", "looked", "twice", "because", "an", "old", "script", "kept", "running", "until", "someone",
		"wrote", "down", "what", "had", "happened", "with", "every", "step", "needed", "again", "later", "that",
		"week", "people", "agreed", "on", "one", "number", "which", "holds", "since", "then", "without", "trouble",
	}
)

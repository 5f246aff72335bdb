// Package examples carries the example corpus, a memory repository of about
// eighty-five files that the demo and the end-to-end tests copy and work on.
//
// It holds files only. What is wrong in them, on purpose, is listed in
// corpus/README.md, and a test keeps that list and the findings equal.
package examples

import "embed"

// Corpus is the tree of the example corpus below the folder "corpus", with its
// dot files and without a git repository.
//
//go:embed all:corpus
var Corpus embed.FS

package fakeeditor

import "maps"

// Object is a JSON object.
type Object = map[string]any

// VSCode is what Visual Studio Code offers, pull diagnostics left out.
func VSCode() Object {
	return Object{
		"general": Object{"positionEncodings": []string{"utf-16"}},
		"workspace": Object{
			"applyEdit": true, "configuration": true, "workspaceFolders": true,
			"workspaceEdit": Object{
				"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"},
				"failureHandling": "textOnlyTransactional", "normalizesLineEndings": true,
			},
			"didChangeWatchedFiles": Object{"dynamicRegistration": true, "relativePatternSupport": true},
		},
		"textDocument": Object{
			"synchronization":    Object{"didSave": true},
			"publishDiagnostics": Object{"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true, "dataSupport": true},
			"codeAction": Object{
				"isPreferredSupport": true, "disabledSupport": true, "dataSupport": true,
				"resolveSupport":           Object{"properties": []string{"edit", "command"}},
				"codeActionLiteralSupport": Object{"codeActionKind": Object{"valueSet": []string{"", "quickfix", "refactor"}}},
			},
		},
		"window": Object{"workDoneProgress": true, "showDocument": Object{"support": true}, "showMessage": Object{}},
	}
}

// Pulling is a client that asks for findings, as Visual Studio Code does: what is
// answered about one document is about that one only.
func Pulling() Object {
	return With(VSCode(), Object{
		"textDocument": Object{"diagnostic": Object{"dynamicRegistration": true, "relatedDocumentSupport": false}},
		"workspace":    Object{"diagnostics": Object{"refreshSupport": true}},
	})
}

// Neovim012 is what Neovim 0.12 offers beside what matters to no server here: it
// asks for findings, and takes those of other files with the answer.
func Neovim012() Object {
	return With(UTF8(), Object{
		"textDocument": Object{"diagnostic": Object{
			"dynamicRegistration": true, "dataSupport": true, "relatedInformation": true, "relatedDocumentSupport": true,
		}},
		"workspace": Object{"diagnostics": Object{"refreshSupport": true}},
	})
}

// Neovim07 is what Neovim 0.7 offers: no encodings, no documentChanges, no
// configuration, no watching, no showDocument, literal code actions without
// disabled ones.
func Neovim07() Object {
	return Object{
		"workspace": Object{
			"applyEdit": true, "workspaceFolders": true,
			"workspaceEdit": Object{"resourceOperations": []string{"rename", "create", "delete"}},
		},
		"textDocument": Object{
			"synchronization":    Object{"didSave": true},
			"publishDiagnostics": Object{"relatedInformation": true, "tagSupport": Object{"valueSet": []int{1, 2}}},
			"codeAction": Object{
				"dataSupport": true, "resolveSupport": Object{"properties": []string{"edit"}},
				"codeActionLiteralSupport": Object{"codeActionKind": Object{"valueSet": []string{"", "quickfix", "refactor"}}},
			},
		},
		"window": Object{"workDoneProgress": true, "showMessage": Object{"messageActionItem": Object{"additionalPropertiesSupport": false}}},
	}
}

// UTF8 is a client that lists utf-8 first, as Helix and Neovim 0.12 do.
func UTF8() Object {
	return With(VSCode(), Object{"general": Object{"positionEncodings": []string{"utf-8", "utf-32", "utf-16"}}})
}

// Plain is a client that offers nothing optional at all.
func Plain() Object { return Object{} }

// With returns base with the values of over put over it, object by object. A
// nil value removes the key.
func With(base, over Object) Object {
	merged := maps.Clone(base)
	for key, value := range over {
		inner, isObject := value.(Object)
		old, wasObject := merged[key].(Object)
		switch {
		case value == nil:
			delete(merged, key)
		case isObject && wasObject:
			merged[key] = With(old, inner)
		default:
			merged[key] = value
		}
	}
	return merged
}

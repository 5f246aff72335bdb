package main

import (
	"encoding/json"
	"net/url"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// The parts of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		Default          sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   uint32 `json:"startLine"`
		StartColumn uint32 `json:"startColumn"`
		EndLine     uint32 `json:"endLine"`
		EndColumn   uint32 `json:"endColumn"`
	}
)

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// writeSARIF writes the report as one SARIF run. Paths are relative to the
// working directory where the root lies in it, because that is how code hosts
// find the file.
func writeSARIF(u *ui, report *checkReport) {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "memhtml-ls", Version: buildVersion().Version, Rules: []sarifRule{}}
	rules := map[diagnostics.Code]int{}
	for i, entry := range diagnostics.Catalog() {
		rules[entry.Code] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			string(entry.Code), sarifText{entry.Meaning}, sarifConfiguration{sarifLevel(entry.Severity.String())},
		})
	}
	place := report.placer()
	for _, f := range report.Findings {
		result := sarifResult{
			RuleID: string(f.Code), RuleIndex: rules[f.Code], Level: sarifLevel(f.Severity),
			Message: sarifText{f.Message}, Locations: []sarifLocation{{Physical: sarifAt(place(f.Path), f.Range)}},
		}
		for _, other := range f.Related {
			result.Related = append(result.Related,
				sarifLocation{sarifAt(place(other.Path), other.Range), &sarifText{other.Message}})
		}
		run.Results = append(run.Results, result)
	}
	encoder := json.NewEncoder(u.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifLevel maps a severity to the three words SARIF has.
func sarifLevel(severity string) string {
	if severity == "error" || severity == "warning" {
		return severity
	}
	return "note"
}

func sarifAt(path string, at textRange) sarifPhysical {
	return sarifPhysical{
		Artifact: sarifArtifact{(&url.URL{Path: path}).EscapedPath()},
		Region: sarifRegion{
			StartLine: at.Start.Line + 1, StartColumn: at.Start.Character + 1,
			EndLine: at.End.Line + 1, EndColumn: at.End.Character + 1,
		},
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributingNamesWhatIsThere: each path to a Go file in CONTRIBUTING.md leads to one, and the glossary stays short.
func TestContributingNamesWhatIsThere(t *testing.T) {
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile("`([a-z_0-9]+(?:/[a-z_0-9]+)+(?:\\.go)?)`").FindAllStringSubmatch(string(page), -1)
	if len(paths) < 30 {
		t.Errorf("only %d paths are found", len(paths))
	}
	for _, p := range paths {
		_, atRoot := os.Stat(filepath.FromSlash(p[1]))
		_, below := os.Stat(filepath.Join("sshapp", filepath.FromSlash(p[1])))
		_, deeper := os.Stat(filepath.Join("sshapp", "ui", filepath.FromSlash(p[1])))
		if atRoot != nil && below != nil && deeper != nil {
			t.Errorf("%s is not there", p[1])
		}
	}
	_, glossary, _ := strings.Cut(string(page), "\n## Glossary\n")
	glossary, _, _ = strings.Cut(glossary, "\n## ")
	if rows := strings.Count(glossary, "\n| ") - 1; rows < 5 || rows > 15 {
		t.Errorf("the glossary has %d words, want at most 15", rows)
	}
}

// Template writes the file of all sentences from which translators start, and brings the files of the languages up to it: sentences that are new
// stand there without a translation, and those that are said no more are left out.
//
//	go generate ./sshapp/text
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// templateName is the name of the template in the folder of the languages.
const templateName = "ludoteca.pot"

func main() {
	sources := flag.String("sources", ".", "the folder of the program's sources")
	locales := flag.String("locales", "sshapp/text/locales", "the folder of the languages")
	flag.Parse()
	if err := run(*sources, *locales); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes all files of the folder of the languages that are not as they should be.
func run(sources, locales string) error {
	files, err := generate(sources, locales)
	if err != nil {
		return err
	}
	for path, content := range files {
		if old, err := os.ReadFile(path); err == nil && string(old) == content {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files of the folder of the languages as they should be, by path.
func generate(sources, locales string) (map[string]string, error) {
	entries, err := collect(sources)
	if err != nil {
		return nil, err
	}
	files := map[string]string{filepath.Join(locales, templateName): write(templateHeader, entries, nil)}
	languages, err := filepath.Glob(filepath.Join(locales, "*.po"))
	if err != nil {
		return nil, err
	}
	for _, path := range languages {
		file, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		header, translations, err := read(string(file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files[path] = write(header, entries, translations)
	}
	return files, nil
}

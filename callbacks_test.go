package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// mostCallbacks is how many functions lobby/callbacks.go may have. It has what services tell those that are made after them.
const mostCallbacks = 18

func TestCallbacks(t *testing.T) {
	n := len(functions(t, "lobby/callbacks.go"))
	if n > mostCallbacks || n < 10 {
		t.Errorf("lobby/callbacks.go has %d functions, want at most %d, and this test knows some", n, mostCallbacks)
	}
}

// TestServicesInOrder: lobby makes each service from services that are made before it, and all of them.
func TestServicesInOrder(t *testing.T) {
	m := &making{t: t, steps: functions(t, "lobby/services.go"), services: map[string]bool{}, made: map[string]bool{}}
	lobby := parsed(t, "lobby/lobby.go")
	ast.Inspect(lobby, func(n ast.Node) bool {
		if of, ok := n.(*ast.TypeSpec); ok && (of.Name.Name == "PeopleServices" || of.Name.Name == "MatchServices") {
			for _, f := range of.Type.(*ast.StructType).Fields.List {
				m.services[f.Names[0].Name] = true
			}
		}
		return true
	})
	ast.Inspect(functions(t, "lobby/lobby.go")["New"], m.visit)
	for service := range m.services {
		if !m.made[service] {
			t.Errorf("%s is never made", service)
		}
	}
	if len(m.services) < 30 {
		t.Errorf("found %d services", len(m.services))
	}
}

// A making follows how lobby.New makes the services.
type making struct {
	t        *testing.T
	steps    map[string]*ast.FuncDecl
	services map[string]bool // fields of Lobby
	made     map[string]bool
}

// visit is for ast.Inspect. It follows the calls of steps, and sees the right side of an assignment before the left one.
func (m *making) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, from := range n.Rhs {
			ast.Inspect(from, m.visit)
		}
		for _, to := range n.Lhs {
			if service := ofLobby(to); m.services[service] {
				m.made[service] = true
			}
		}
		return false
	case *ast.CallExpr:
		if step := m.steps[ofLobby(n.Fun)]; step != nil && strings.HasPrefix(step.Name.Name, "make") {
			ast.Inspect(step.Body, m.visit)
		}
	case *ast.SelectorExpr:
		if service := ofLobby(n); m.services[service] && !m.made[service] {
			m.t.Errorf("%s is used before it is made", service)
		}
	}
	return true
}

// ofLobby returns the name of a field or method of the variable l; "" for anything else.
func ofLobby(e ast.Expr) string {
	if of, ok := e.(*ast.SelectorExpr); ok {
		if l, ok := of.X.(*ast.Ident); ok && l.Name == "l" {
			return of.Sel.Name
		}
	}
	return ""
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// functions returns the functions and methods of a file by name, a method of a type other than Lobby with its type.
func functions(t *testing.T, file string) map[string]*ast.FuncDecl {
	t.Helper()
	all := map[string]*ast.FuncDecl{}
	for _, d := range parsed(t, file).Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			name := f.Name.Name
			if f.Recv != nil {
				if of := receiver(f.Recv.List[0].Type); of != "Lobby" {
					name = of + "." + name
				}
			}
			all[name] = f
		}
	}
	return all
}

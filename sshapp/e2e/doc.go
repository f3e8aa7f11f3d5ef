// Package e2e has the end-to-end tests: the program in a process of its own, as operators start it, and real SSH clients. The program package
// starts it.
package e2e

// Package pages lists the screens that the app opens by itself, for ui.Config.
package pages

import (
	"ludoteca/sshapp/ui/accountpage"
	"ludoteca/sshapp/ui/eventspage"
	"ludoteca/sshapp/ui/lobbypage"
	"ludoteca/sshapp/ui/matchpage"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/people"
	"ludoteca/sshapp/ui/review"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/talkpage"
)

// All returns the screens of the club.
func All() screen.Pages {
	return screen.Pages{
		SignUp: accountpage.NewSignUp, Lobby: lobbypage.New, DeepLink: newmatch.NewDeepLink, Match: matchpage.New, Players: people.NewPlayersHere,
		NewMatch: newmatch.NewAgainstComputer, Review: review.NewNamed, Together: review.NewTogether, Tells: talkpage.NewTells, Event: eventspage.NewEvent,
	}
}

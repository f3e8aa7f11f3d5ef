package bot

// ratings are the ratings of the levels by game, as measured by matches between neighbours.
var ratings = map[string]map[string]int{}

# Days on which it rained.
NR > 1 && $2 > 0.1 { print $1, $2 }

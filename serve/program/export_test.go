package program

// StateFolder is the folder of a system for the state of programs.
var StateFolder = stateFolder

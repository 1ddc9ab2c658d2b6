toolcontract state show state.db
toolcontract state settle -audit audit.jsonl state.db $LOOKUP_KEY ran
toolcontract state backup state.db copy.db
toolcontract state rotate -audit audit.jsonl state.db
toolcontract state forget -audit audit.jsonl -namespace desk -principal ada state.db

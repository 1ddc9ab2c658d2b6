package sqlstore

// Freeze makes now the store's clock.
func (s *Store) Freeze(now int64) { s.tell = func(int64) int64 { return now } }

package explain

// allTables lists the knowledge, one table a runtime.
func allTables() []Table {
	return []Table{
		commonTable(), errnoTable(), tlsTable, statusTable, http2Table,
		goTable, nodeTable, undiciTable, nodeLibraryTable,
		pythonTable, pythonAsyncTable, javaTable, javaLibraryTable, curlTable(), grpcTable(),
		dotnetTable, rubyTable, phpTable, rustTable, beamTable, bunTable, browserTable,
		nginxTable, haproxyTable(), envoyTable, apiTable, redisTable, sqlTable, kafkaTable,
	}
}

// Entries returns every entry of every table, in their order. The caller may
// keep and change the slice.
func Entries() []Entry {
	var all []Entry
	for _, t := range allTables() {
		all = append(all, t.Entries...)
	}
	return all
}

// Tables returns everything that is known, one table a runtime. The caller
// may keep and change it.
func Tables() []Table {
	return allTables()
}

-- Each change of an entry wrote some two hundred trigrams, below the lock of the catalog. Now they wait in a list that is
-- merged into the index at once, and that searches read too. Where a superuser made the index, it stays as it is.
DO $$ BEGIN
	ALTER INDEX IF EXISTS "catalog_entries_search" SET (fastupdate = on);
EXCEPTION WHEN insufficient_privilege THEN
	RAISE WARNING 'catalog_entries_search is of another user. Changes are faster with fastupdate = on.';
END $$;

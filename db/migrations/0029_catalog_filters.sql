CREATE INDEX "catalog_entries_of_category" ON "catalog_entries" USING btree ("network","category");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_publisher" ON "catalog_entries" USING btree ("network","publisher");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_coin" ON "catalog_entries" USING gin ("coins");
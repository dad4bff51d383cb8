DROP INDEX "delegates_by_address";--> statement-breakpoint
CREATE INDEX "catalog_entries_hidden" ON "catalog_entries" USING btree ("network","service_type","publisher") WHERE not shown;--> statement-breakpoint
CREATE INDEX "events_of_wallets" ON "events" USING btree ("network",hashtextextended(data->>'walletId', 0),"checkpoint","tx_index","event_index") WHERE source = 'wallet';--> statement-breakpoint
CREATE INDEX "events_of_caps" ON "events" USING btree ("network",(data->>'capId'),"checkpoint","tx_index","event_index") WHERE source = 'wallet' and data->>'capId' is not null;--> statement-breakpoint
CREATE INDEX "events_of_rules" ON "events" USING btree ("network",(data->>'ruleType'),"checkpoint","tx_index","event_index") WHERE source = 'rules' and data->>'ruleType' is not null;--> statement-breakpoint
CREATE INDEX "events_of_allowlists" ON "events" USING btree ("network",(data->>'allowlistId'),"checkpoint","tx_index","event_index") WHERE source = 'rules' and data->>'allowlistId' is not null;--> statement-breakpoint
CREATE INDEX "events_of_agents" ON "events" USING btree ("network",(data->>'agent'),"checkpoint","tx_index","event_index") WHERE source = 'agents';--> statement-breakpoint
CREATE INDEX "caps_of_parent" ON "caps" USING btree ("network","parent","minted_checkpoint","minted_tx_index","minted_event_index") WHERE parent is not null;--> statement-breakpoint
CREATE INDEX "listings_without_manifest" ON "listings" USING btree ("network","service_type","publisher") WHERE listed and (name is null or manifest_error is not null);--> statement-breakpoint
CREATE INDEX "listings_without_witness" ON "listings" USING btree ("network","service_type","publisher") WHERE listed and (name_error is not null or witness_check <> 'valid');--> statement-breakpoint
CREATE INDEX "service_grants_of_service" ON "service_grants" USING btree ("network","service_type","wallet_id","coin");--> statement-breakpoint
CREATE INDEX "delegates_by_address" ON "delegates" USING btree ("network","delegate","wallet_id");
CREATE INDEX "jobs_of_wallet" ON "jobs" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_integrator" ON "catalog_entries" USING btree ("network",integrator collate "C") WHERE shown;--> statement-breakpoint
CREATE INDEX "events_of_source" ON "events" USING btree ("network","source","checkpoint","tx_index","event_index") WHERE source in ('rules', 'agents', 'escrow');--> statement-breakpoint
CREATE INDEX "events_of_spends" ON "events" USING btree ("network",(data->>'walletId'),"checkpoint","tx_index","event_index") WHERE source = 'wallet' and name = 'SpendConfirmed';--> statement-breakpoint
CREATE INDEX "attestations_in_order" ON "attestations" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "listings_of_publisher" ON "listings" USING btree ("network","publisher","registered_checkpoint","registered_tx_index","registered_event_index");--> statement-breakpoint
CREATE INDEX "service_actions_of_service" ON "service_actions" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "service_actions_of_wallet" ON "service_actions" USING btree ("network","wallet_id","checkpoint","tx_index","event_index");
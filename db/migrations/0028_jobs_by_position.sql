DROP INDEX "jobs_of_provider";--> statement-breakpoint
DROP INDEX "jobs_of_payer";--> statement-breakpoint
DROP INDEX "jobs_of_wallet";--> statement-breakpoint
CREATE INDEX "jobs_newest" ON "jobs" USING btree ("network","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_state" ON "jobs" USING btree ("network","state","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_provider" ON "jobs" USING btree ("network","provider","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_payer" ON "jobs" USING btree ("network","payer","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_wallet" ON "jobs" USING btree ("network","wallet_id","created_checkpoint","created_tx_index","created_event_index");
ALTER TABLE "agents" ADD COLUMN "completed_jobs" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "agents" a SET "completed_jobs" = j.completed
FROM (SELECT network, provider, count(*) AS completed FROM "jobs" WHERE state = 3 GROUP BY network, provider) j
WHERE j.network = a.network AND j.provider = a.agent;--> statement-breakpoint
CREATE INDEX "agent_runs_open_by_id" ON "agent_runs" USING btree ("id") WHERE state in ('running', 'signed', 'unknown');--> statement-breakpoint
CREATE INDEX "agents_by_completed" ON "agents" USING btree ("network",(-completed_jobs),name collate "C",agent collate "C") WHERE listed;--> statement-breakpoint
CREATE INDEX "catalog_entries_any_alike" ON "catalog_entries" USING btree ("network","name_skeleton");--> statement-breakpoint
CREATE INDEX "catalog_entries_any_of_integrator" ON "catalog_entries" USING btree ("network",integrator collate "C");--> statement-breakpoint
CREATE INDEX "policy_rules_of_rule" ON "policy_rules" USING btree ("network","rule","wallet_id");--> statement-breakpoint
CREATE INDEX "listings_unlisted" ON "listings" USING btree ("network","service_type","publisher") WHERE not listed;--> statement-breakpoint
CREATE INDEX "reviews_of_users" ON "reviews" USING btree ("network","service_type","verified","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "rules_of_type" ON "rules" USING btree ("network","rule_type",(publisher_check = 'verified') desc,"registered_checkpoint","registered_tx_index","registered_event_index") WHERE listed and name_error is null and witness_check = 'valid';--> statement-breakpoint
CREATE INDEX "rules_of_publisher" ON "rules" USING btree ("network","publisher","rule_type");
ALTER TABLE "webhook_lanes" RENAME TO "webhook_subscriptions";--> statement-breakpoint
ALTER TABLE "webhook_subscriptions" RENAME CONSTRAINT "webhook_lanes_pkey" TO "webhook_subscriptions_pkey";--> statement-breakpoint
ALTER TABLE "agent_run_steps" RENAME COLUMN "place" TO "position";--> statement-breakpoint
ALTER TABLE "agent_run_steps" RENAME CONSTRAINT "agent_run_steps_run_place_pk" TO "agent_run_steps_run_position_pk";

CREATE TABLE "agent_freezes" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"reason" text NOT NULL,
	"frozen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_freezes_network_wallet_id_pk" PRIMARY KEY("network","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "agent_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"label" text,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_plans" (
	"owner" text PRIMARY KEY NOT NULL,
	"plan" text NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_used_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_limits" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"coin_type" text NOT NULL,
	"day" date NOT NULL,
	"reserved" numeric(38, 0) NOT NULL,
	"spent" numeric(38, 0) NOT NULL,
	"daily_max" numeric(38, 0),
	CONSTRAINT "agent_limits_network_wallet_id_coin_type_day_pk" PRIMARY KEY("network","wallet_id","coin_type","day")
);
--> statement-breakpoint
CREATE TABLE "agent_reservations" (
	"run" bigint NOT NULL,
	"coin_type" text NOT NULL,
	"day" date NOT NULL,
	"amount" numeric(38, 0) NOT NULL,
	CONSTRAINT "agent_reservations_run_coin_type_pk" PRIMARY KEY("run","coin_type")
);
--> statement-breakpoint
CREATE TABLE "agent_run_steps" (
	"run" bigint NOT NULL,
	"place" integer NOT NULL,
	"step" text NOT NULL,
	"status" text NOT NULL,
	"detail" text,
	"digest" text,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_run_steps_run_place_pk" PRIMARY KEY("run","place")
);
--> statement-breakpoint
CREATE TABLE "agent_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "agent_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"owner" text NOT NULL,
	"action" text NOT NULL,
	"request" jsonb NOT NULL,
	"request_id" text,
	"request_hash" text NOT NULL,
	"caller" text NOT NULL,
	"agent" text NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"worker" bigint NOT NULL,
	"transaction" "bytea",
	"signature" text,
	"digest" text,
	"code" text,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_keys_digest" ON "agent_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "agent_keys_of_wallet" ON "agent_keys" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "agent_sessions_expiry" ON "agent_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "agent_used_nonces_expiry" ON "agent_used_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_once" ON "agent_runs" USING btree ("network","wallet_id","request_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_open" ON "agent_runs" USING btree ("network","wallet_id") WHERE state in ('running', 'signed');--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_signed" ON "agent_runs" USING btree ("network","agent") WHERE state = 'signed';--> statement-breakpoint
CREATE INDEX "agent_runs_of_wallet" ON "agent_runs" USING btree ("network","wallet_id","id");
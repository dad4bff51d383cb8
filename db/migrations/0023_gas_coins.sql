CREATE TABLE "agent_gas_coins" (
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"coin_id" text NOT NULL,
	"version" bigint NOT NULL,
	"digest" text NOT NULL,
	"balance" numeric(38, 0) NOT NULL,
	"run" bigint,
	"split" text,
	"stale" boolean DEFAULT false NOT NULL,
	CONSTRAINT "agent_gas_coins_network_payer_coin_id_pk" PRIMARY KEY("network","payer","coin_id"),
	CONSTRAINT "agent_gas_coins_one_use" CHECK (num_nonnulls(run, split) <= 1)
);
--> statement-breakpoint
CREATE TABLE "agent_gas_splits" (
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"transaction" "bytea" NOT NULL,
	"signature" text NOT NULL,
	"digest" text NOT NULL,
	"amount" numeric(38, 0) NOT NULL,
	"signed_checkpoint" bigint NOT NULL,
	"signed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_gas_splits_network_payer_pk" PRIMARY KEY("network","payer")
);
--> statement-breakpoint
DROP INDEX "agent_runs_signed";--> statement-breakpoint
CREATE INDEX "agent_gas_coins_run" ON "agent_gas_coins" USING btree ("run") WHERE run is not null;
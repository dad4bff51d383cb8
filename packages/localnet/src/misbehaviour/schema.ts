import { GrpcStatusCode, GrpcTypes } from '@mysten/sui/grpc';
import { z } from 'zod';

/** Methods of every service by their names, which are all different (`ListEvents`). */
const methodNames = [
  GrpcTypes.LedgerService,
  GrpcTypes.StateService,
  GrpcTypes.TransactionExecutionService,
  GrpcTypes.SubscriptionService,
  GrpcTypes.MovePackageService,
  GrpcTypes.NameService,
  GrpcTypes.SignatureVerificationService,
].flatMap((service) => service.methods.map(({ name }) => name));

const codeNames = Object.keys(GrpcStatusCode).filter((name) => /^[A-Z]/.test(name) && name !== 'OK');

const code = z.enum(codeNames as [keyof typeof GrpcStatusCode]);
const count = z.int().min(0).max(1_000_000_000);
/** Absent: all of them. */
const methods = z.array(z.enum(methodNames)).min(1).optional();
const share = z.number().min(0).max(1).default(1);
/** The same seed lets the same calls fail, counted from when it was set. */
const seed = z.int().min(0).default(1);

/**
 * How the network misbehaves; what is absent is in order. `null` puts it in order again. This is the body of
 * `POST /admin/misbehave`, and what the flags are made into.
 */
export const MisbehaviourSchema = z
  .strictObject({
    /** Ends streams after that many frames: with a status, or without a code by breaking them off. */
    dropStream: z.strictObject({ afterFrames: count, code: code.optional(), methods }),
    /** Streams bring that many frames and then nothing, and stay open. */
    stallStream: z.strictObject({ afterFrames: count, methods }),
    /** Ends streams that long after they began: with a status, or without a code by breaking them off. */
    cutStreams: z.strictObject({ afterMs: z.int().min(1).max(3_600_000), code: code.optional(), methods }),
    /** Each HTTP/2 connection gets GOAWAY with its n-th call; 0: all open ones at once, and no later one. */
    goAway: z.strictObject({ afterCalls: count }),
    /** Answers a share of the calls with a code instead of serving them. */
    failCalls: z.strictObject({ code, share, seed, methods }),
    /** Refuses the calls beyond a number in each window, by gRPC or as a proxy does; with the delay or without. */
    limitCalls: z.strictObject({
      calls: count,
      windowMs: z.int().min(1).max(3_600_000).default(30_000),
      answer: z.enum(['RESOURCE_EXHAUSTED', 'HTTP_429']).default('RESOURCE_EXHAUSTED'),
      delay: z.boolean().default(true),
      methods,
    }),
    /** Transactions execute, but a share of the calls never hears of it, or hears DEADLINE_EXCEEDED. */
    loseAnswers: z.strictObject({
      answer: z.enum(['never', 'DEADLINE_EXCEEDED']).default('never'),
      share,
      seed,
    }),
    /** Lists end that many checkpoints before the newest one, as where the index is behind. */
    lagLists: z.strictObject({ checkpoints: count }),
    /**
     * A share of the calls is answered by a node that is that many checkpoints late: its tip, its checkpoints and
     * transactions, its lists and its streams. Objects are the newest. All calls: one late node; a part of them: nodes behind
     * one name that disagree.
     */
    late: z.strictObject({ checkpoints: z.int().min(1).max(10_000), share, seed }),
    /** GetCheckpoint answers with other digests from this checkpoint on, as on another fork. */
    fork: z.strictObject({ from: count }),
    /** Closes the open streams, and refuses every call with UNAVAILABLE for that long. It passes by itself. */
    restart: z.strictObject({ downMs: z.int().min(0).max(3_600_000) }),
    /** Lists of the ledger answer UNAVAILABLE, those of package versions NOT_FOUND, as on a node without indexes. */
    refuseLists: z.literal(true),
    /** This node has no checkpoint before this one, as if it had pruned them. It keeps old versions of objects. */
    forget: z.strictObject({ below: count }),
    /** Deletes the checkpoints before this one from the chain, for good. */
    prune: z.strictObject({ below: count }),
    /** New checkpoints are that much ahead of the machine's clock; time that passed does not come back. */
    clock: z.strictObject({ offsetMs: z.int().min(-1e12).max(1e12) }),
    /** What the network says its chain is, in GetServiceInfo and in headers. */
    chainId: z.string().min(1).max(100),
    /** Replaces this chain by another one, once: no earlier data stays. */
    newChain: z.literal(true),
  })
  .partial();

export type MisbehaviourSettings = z.output<typeof MisbehaviourSchema>;

/** A change: what is given is set, what is `null` is put in order, the rest stays. */
export const MisbehaviourPatchSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(MisbehaviourSchema.shape).map(([name, schema]) => [name, schema.nullable()]),
  ) as { [Name in keyof Shape]: z.ZodNullable<Shape[Name]> },
);

type Shape = (typeof MisbehaviourSchema)['shape'];

export type MisbehaviourPatch = z.output<typeof MisbehaviourPatchSchema>;

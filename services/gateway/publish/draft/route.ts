import { isLate } from '@adaptor-marketplace/adaptor/chain/answers';
import { ToldValuesError, toldValues } from '@adaptor-marketplace/adaptor/draft/asked-values';
import { chooseWitness, WitnessError } from '@adaptor-marketplace/adaptor/draft/choose-witness';
import { listedOps } from '@adaptor-marketplace/adaptor/draft/listed-ops';
import { draftListing, type ListingDraft } from '@adaptor-marketplace/adaptor/draft/listing';
import type { NamedObject } from '@adaptor-marketplace/adaptor/draft/objects';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import type {
  IntrospectedOp,
  IntrospectedWitness,
  Introspection,
} from '@adaptor-marketplace/adaptor/introspect/types';
import { canonicalJson, parseManifest } from '@adaptor-marketplace/adaptor/manifest';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { nodeProblem } from '../../../../lib/chain/node/problem.ts';
import { turns } from '../../../../lib/chain/node/turns.ts';
import { problem } from '../../../../lib/errors/index.ts';
import type { Exchange } from '../../../../lib/http/exchange.ts';
import { kvUnavailable } from '../../../../lib/http/problem.ts';
import { callerOf } from '../../access/caller.ts';
import type { PublishChain, PublishHost } from '../host.ts';
import type { Inferences } from '../inferences.ts';
import { publishRoute } from '../route.ts';
import { listingWarnings } from './listing-warnings.ts';
import { readPastCalls } from './past-calls.ts';
import { type DraftRequest, type draftBody, draftRequest } from './shapes.ts';
import { unsignedCalls } from './unsigned-calls.ts';
import { requireUpload, type Uploads, uploadManifest } from './uploads.ts';

export interface DraftHost extends PublishHost {
  db: Pool;
  inferences: Inferences;
  uploads: Uploads;
}

/** For what drafts ask the nodes beside introspections and past calls, which have bounds of their own. */
const bounds = { running: 16, waiting: 128, waitMs: 10_000 };

/** `POST /api/adaptors/draft`: a listing of a package, as far as the chain tells it, for its publisher to sign. */
export function draft(host: DraftHost) {
  const inTurn = turns(bounds);
  return publishRoute(host, {
    body: draftRequest,
    async answer({ request, network, chain, exchange, signal }) {
      const upload = request.upload ? requireUpload(host.uploads, network) : undefined;
      const integrator = request.integrator ?? integratorOf(exchange);
      const introspection = await chain.introspect(request.packageId, signal);
      const witness = witnessOf(introspection, request.witness);
      const { deployed, objects } = await inTurn(() => readObjects(chain, new Set(request.objects), signal));
      const ops = listedOps(introspection, witness);
      const executable = ops.filter((op) => op.executable);
      const allVersions = !witness.serviceType.startsWith(`${request.packageId}::`);
      const values = valuesOf(executable, request.values);
      const question = { packageId: request.packageId, ops: executable, allVersions };
      const past = await readPastCalls(host.inferences, chain, question, signal);
      const { packageId, name, summary, category, sender } = request;
      const { manifest, manifestHash, warnings } = readable(
        draftListing({
          packageId,
          network,
          name,
          summary,
          category,
          integrator,
          witness,
          ops,
          past,
          objects,
          values,
        }),
      );
      const manifestUri = upload ? await uploadManifest(upload, manifest) : null;
      const { serviceType } = witness;
      const entry = { packageId, serviceType, manifestUri, manifestHash };
      const signed = { chain, db: host.db, entry, deployed, sender };
      const listing = { packageId, serviceType, name, sender };
      const [calls, listed] = await inTurn(() =>
        Promise.all([unsignedCalls(signed, signal), listingWarnings(chain, host.db, listing, signal)]),
      );
      return {
        manifest,
        manifestHash,
        manifestUri,
        serviceType,
        ops: introspection.ops,
        executableOps: manifest.ops,
        ...calls,
        warnings: [...warnings, ...listed, ...calls.warnings],
      } satisfies z.infer<typeof draftBody>;
    },
  });
}

/** @throws ProblemError 503 where a key was sent and cannot be checked: a listing would lack its attribution for good */
function integratorOf(exchange: Exchange): string | undefined {
  const caller = callerOf(exchange);
  if (caller?.kind === 'unchecked') throw kvUnavailable;
  return caller?.kind === 'key' ? caller.integrator : undefined;
}

const witnessesShownMax = 50;

function witnessOf({ witnesses }: Introspection, asked: string | undefined): IntrospectedWitness {
  try {
    return chooseWitness(witnesses, asked);
  } catch (error) {
    if (!(error instanceof WitnessError)) throw error;
    const shown = error.serviceTypes.slice(0, witnessesShownMax);
    const errors = shown.map((serviceType) => ({ path: 'body.witness', message: serviceType }));
    throw problem(error.code, error.message, { errors: errors.length > 0 ? errors : undefined });
  }
}

function valuesOf(ops: readonly IntrospectedOp[], told: DraftRequest['values']) {
  try {
    return toldValues(ops, told);
  } catch (error) {
    if (!(error instanceof ToldValuesError)) throw error;
    throw problem('values_mismatch', error.message);
  }
}

/** The objects that the publisher named, and whether the registry is there, in one call to the node. */
async function readObjects(
  { client, settings }: PublishChain,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
) {
  const { registryPackageId, registryObjectId } = settings;
  const named = [...ids];
  const answer = await readFixedObjects(client, [registryObjectId, ...named], signal);
  if (answer.status === 'unavailable') throw nodeProblem(isLate(answer));
  const found = answer.status === 'found' ? answer.value : new Map<string, NamedObject>();
  const missing = named.filter((id) => !found.has(id));
  if (missing.length > 0) {
    const detail = `Not shared or immutable objects of this network: ${missing.join(', ')}.`;
    throw problem('object_not_found', detail);
  }
  return {
    deployed: found.get(registryObjectId)?.type === `${registryPackageId}::registry::Registry`,
    objects: named.map((id) => found.get(id)!),
  };
}

/** A draft whose manifest every reader of the catalog will take: the bounds on it are those of strangers' manifests. */
function readable(drafted: ListingDraft): ListingDraft {
  const judged = parseManifest(Buffer.from(canonicalJson(drafted.manifest)), drafted.manifestHash);
  if (judged.status === 'verified') return drafted;
  throw problem('manifest_invalid', `${judged.reason} The package has too much for one listing.`);
}

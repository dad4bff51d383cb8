import type { Network } from '@adaptor-marketplace/adaptor';
import { sourceLimits } from '@adaptor-marketplace/move-toolchain/verify/source';
import type { Pool } from 'pg';
import { z } from 'zod';
import { encodeContent } from '../../../db/queries/package-sources/content.ts';
import { addSourceOffer, type OfferResult, queuedMax } from '../../../db/queries/package-sources/offers.ts';
import { readPackageSource, readSourceOffer } from '../../../db/queries/package-sources/read.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendAccepted, signalDeparture } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { getCallerAddress } from '../access/caller.ts';
import {
  addressParameter,
  manifestHash,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
} from '../openapi/parts.ts';
import type { SiteDependencies } from '../pages/site.ts';
import { exampleSource, packageSourceShape, renderSource, sourceQuery } from './body.ts';
import type { SourceUploads } from './uploads.ts';

export interface SourceDependencies extends SiteDependencies {
  db: Pool;
  choose: NetworkChoice;
  sourceUploads: SourceUploads;
}

const packageSource = z.object(packageSourceShape).meta({
  id: 'PackageSource',
  description: 'What the source that was offered for a package is known to be.',
});

const packageQuery = z.object({
  packageId: addressParameter.meta({ description: 'The package, one version of it.' }),
  network: networkParameter,
});

const blobId = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected a Walrus blob id of 43 characters');

const offer = route({
  method: 'post',
  path: '/api/adaptors/verify',
  query: packageQuery.extend({
    folder: z.string().min(1).max(255).optional().meta({
      description: 'Folder of the package in the archive, if it has several.',
    }),
  }),
  body: z
    .strictObject({ blobId: blobId.meta({ description: 'Walrus blob with the zip file.' }) })
    .meta({ id: 'SourceOffer' }),
  file: {
    mediaType: 'application/zip',
    bytesMax: sourceLimits.archiveBytes,
    description: `The zip file itself, at most ${sourceLimits.archiveBytes / 1024 / 1024} MiB and 10,000 files.`,
  },
  authorize: holdArchiveSlot,
  operation: {
    operationId: 'createSourceOffer',
    tag: 'publish',
    summary: 'Offer source to compare with the code of a listed package',
    description:
      'Send a zip file as `application/zip`, or the id of a Walrus blob with it as JSON. Anyone can offer source: the best ' +
      'verdict of all offers counts. An address has one offer in the queue.',
    response: {
      description: 'The source was verified before: its result.',
      accepted: 'The source is queued to be built. The header `location` has the path of its result.',
      schema: packageSource,
    },
    refusals: [
      'network_not_configured',
      'source_refused',
      'package_not_listed',
      'too_many_offers',
      'offers_busy',
      'blob_unavailable',
      'database_unavailable',
    ],
    example: {
      query: { packageId },
      request: { blobId: manifestUri.slice('walrus://'.length) },
      answer: exampleSource,
    },
  },
  async handler({ exchange, query, body, file }, dependencies: SourceDependencies) {
    const { db, choose, sourceUploads, site } = dependencies;
    const network = choose(query.network);
    const signal = signalDeparture(exchange);
    const archive = file ?? (await sourceUploads.readBlob(network, body.blobId, signal));
    const source = await sourceUploads.unpack(archive, query.folder, signal);
    const stored = await encodeContent(source);
    const key = { network, packageId: query.packageId };
    const address = getCallerAddress(exchange.req, site.trustProxy);
    refuseOffer(await addSourceOffer(db, { ...key, ...stored, sourceHash: source.hash, address }), key);
    const found = await readSourceOffer(db, key, stored.hash);
    const answer = await renderSource(db, { ...key, source: found, query: {} });
    if (answer.verdict !== 'pending') return answer;
    const params = new URLSearchParams({ ...key, offer: stored.hash });
    return sendAccepted(exchange, answer, `/api/adaptors/verify?${params}`);
  },
});

/** Bounds the archives in memory before one is read. The slot is free again once the caller has the response. */
function holdArchiveSlot(exchange: Exchange, _: unknown, { sourceUploads, site }: SourceDependencies): void {
  const release = sourceUploads.take(getCallerAddress(exchange.req, site.trustProxy));
  if (exchange.res.destroyed) release();
  else exchange.res.once('close', release);
}

/** @throws ProblemError for an offer that was not stored */
function refuseOffer(result: OfferResult, { network, packageId }: { network: Network; packageId: string }) {
  if (result === 'queued' || result === 'verified') return;
  if (result === 'unlisted') {
    throw problem(
      'package_not_listed',
      `No listing on ${network} has the package ${packageId}, and no listed package is known to call it.`,
    );
  }
  throw problem('too_many_offers', boundDetails[result]);
}

/** Details of the problem `too_many_offers`, by the bound that is reached. */
const boundDetails = {
  sender: 'An offer from your address waits to be built. Send the next one when it has a verdict.',
  package: `${queuedMax.package} offers for the package wait to be built. Try again shortly.`,
  all: `${queuedMax.all} offers wait to be built. Try again later.`,
};

const getResult = route({
  method: 'get',
  path: '/api/adaptors/verify',
  cacheControl: 'public, no-cache',
  query: packageQuery.extend({
    offer: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits')
      .optional()
      .meta({ description: 'One offer, by its hash. Default: the one with the best verdict.' }),
    ...sourceQuery,
  }),
  operation: {
    operationId: 'getPackageSource',
    tag: 'publish',
    summary: 'Compare the source of a package with its code on chain',
    response: { description: 'The result.', schema: packageSource },
    conditional: true,
    refusals: ['network_not_configured', 'offer_not_found', 'file_not_found', 'database_unavailable'],
    example: { query: { packageId, offer: manifestHash }, answer: exampleSource },
  },
  async handler({ query }, { db, choose }: SourceDependencies) {
    const key = { network: choose(query.network), packageId: query.packageId };
    const source =
      query.offer === undefined
        ? await readPackageSource(db, key)
        : await readSourceOffer(db, key, query.offer);
    if (!source && query.offer !== undefined)
      throw problem('offer_not_found', `There is no such offer for ${key.packageId} on ${key.network}.`);
    return await renderSource(db, { ...key, source, query });
  },
});

/** Routes with which anyone offers source of packages, and reads the results. */
export const sourceRoutes = [offer, getResult];

import { buildRequest } from './build-request.ts';

interface Reached {
  serviceType: string;
  sourceReach: { packageCount: number; verifiedCount: number };
}

/** Lists the adaptors of a marketplace whose code can reach packages without verified source, or is not analyzed yet. */
export async function listUnverifiedCode(baseUrl: string): Promise<string[]> {
  const query = `{ adaptors(chain: TESTNET, first: 100) { edges { node {
    serviceType sourceReach { packageCount verifiedCount } } } } }`;
  const response = await fetch(`${baseUrl}/graphql`, buildRequest({ query }));
  const { data } = (await response.json()) as { data: { adaptors: { edges: { node: Reached }[] } } };
  const { edges } = data.adaptors;
  if (edges.length === 0) throw new Error('the catalog is empty');
  return edges.flatMap(({ node: { serviceType, sourceReach } }) =>
    sourceReach.packageCount > 0 && sourceReach.packageCount === sourceReach.verifiedCount
      ? []
      : [`${serviceType} (${sourceReach.verifiedCount} of ${sourceReach.packageCount})`],
  );
}

import { expect } from 'vitest';
import { buildRequest } from './build-request.ts';
import { namesSeen, spyOnStatements } from './statements.ts';

/** A response of the graph. */
// biome-ignore lint/suspicious/noExplicitAny: each query has another shape
export interface GraphAnswer<Data = any> {
  data: Data;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: { code: string; requestId: string; errors?: { path: string }[] };
  }[];
  extensions?: Record<string, unknown>;
}

/** Sends a query to the server of this url, as a program does. */
// biome-ignore lint/suspicious/noExplicitAny: each query has another shape
export async function queryGraph<Data = any>(
  url: string,
  query: string,
  variables: object = {},
): Promise<GraphAnswer<Data>> {
  const answer = await fetch(`${url}/graphql`, buildRequest({ query, variables }));
  return await answer.json();
}

/** Returns the data of a query, which must have no errors. */
// biome-ignore lint/suspicious/noExplicitAny: each query has another shape
export async function readGraph<Data = any>(
  url: string,
  query: string,
  variables: object = {},
): Promise<Data> {
  const { data, errors } = await queryGraph<Data>(url, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

/** Names of the statements that a query to a gateway of this process makes. */
export async function captureStatements(url: string, query: string): Promise<string[]> {
  const spy = spyOnStatements();
  await readGraph(url, query);
  const names = namesSeen(spy);
  spy.mockRestore();
  return names;
}

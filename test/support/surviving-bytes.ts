/**
 * Executes a graph query by a plan, again and again, in a process of its own, where nothing else uses memory:
 * `surviving-bytes.ts <database url> <query>`. Sends the result, and the bytes of one query that quick collections of garbage
 * leave behind.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getOperationAST, parse } from 'graphql';
import { openDatabase } from '../../db/client.ts';
import { executePlan } from '../../graphql/execution/answer.ts';
import { planQuery } from '../../graphql/execution/plan.ts';
import { createManifests } from '../../graphql/manifests.ts';
import { schema } from '../../graphql/schema.ts';

const [url = '', text = ''] = process.argv.slice(2);
const rounds = 60;
const queriesOfRound = 5;

const database = openDatabase(url, { max: 4, pipeline: true });
const document = parse(text);
const plan = planQuery(schema, document, getOperationAST(document)!)!;

setFlagsFromString('--expose-gc');
const collect: (options: { type: 'minor' | 'major' }) => void = runInNewContext('gc');

const sumOldBytes = () =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: bytes }) => sum + (name.startsWith('new_') ? 0 : bytes),
    0,
  );

async function execute(): Promise<string | undefined> {
  const db = database.pool;
  const context = {
    db,
    manifests: createManifests(db),
    choose: () => 'testnet',
    requireSource: () => undefined,
    indexed: () => ({ checkpoint: null, sources: [] }),
  };
  return await executePlan(plan, context, undefined, 1_000_000);
}

let result: string | undefined;
for (let n = 0; n < 20; n++) result = await execute();
collect({ type: 'major' });
const before = sumOldBytes();
for (let round = 0; round < rounds; round++) {
  for (let n = 0; n < queriesOfRound; n++) await execute();
  collect({ type: 'minor' });
}
process.send!({ result, bytes: (sumOldBytes() - before) / (rounds * queriesOfRound) });
await database.close();
process.disconnect();

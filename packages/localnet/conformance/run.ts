import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { writeBlocks } from './document.ts';
import { startLocalSubject } from './local-network.ts';
import { type Result, runCases } from './run-cases.ts';
import { tablesOf } from './table.ts';

/**
 * `npm run conformance`: lists every case with its outcome, against a local network or, with
 * `SUI_CONFORMANCE_RPC_URL`, against any node. `SUI_CONFORMANCE_KEY` (`suiprivkey1...`, Ed25519, with coins) adds
 * the cases that execute; `SUI_CONFORMANCE_HEADER` (`name: value`) goes with every call. A word behind it names a
 * service or a rule, and only such cases run. A whole run against the local network writes the tables of what it found
 * in docs/localnet.md.
 */
const {
  SUI_CONFORMANCE_RPC_URL: url,
  SUI_CONFORMANCE_KEY: secret,
  SUI_CONFORMANCE_HEADER: header,
} = process.env;

const key = secret ? Ed25519Keypair.fromSecretKey(secret) : undefined;
const local = url ? undefined : await startLocalSubject();
const [name, ...value] = header?.split(':') ?? [];
const headers = name ? { [name.trim()]: value.join(':').trim() } : {};
const marks = { pass: 'ok  ', fail: 'FAIL', 'not applicable': 'n/a ' };

const results: Result[] = [];
try {
  for await (const result of runCases({ key, headers, only: process.argv[2], ...(local ?? { url: url! }) })) {
    results.push(result);
    const detail = result.detail ? `\n       ${result.detail.replaceAll('\n', '\n       ')}` : '';
    console.log(
      `${marks[result.outcome]}  ${result.transport}: ${result.case.about} ${result.case.name}${detail}`,
    );
  }
  if (local && process.argv[2] === undefined) await writeBlocks(await tablesOf(results, local));
} finally {
  await local?.close();
}
const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
const names = new Set(results.map(({ case: { about, name: rule } }) => `${about} ${rule}`));
console.log(
  `\n${names.size} cases in ${results.length} runs: ${count('pass')} pass, ${count('fail')} fail, ${count('not applicable')} not applicable`,
);
process.exitCode = count('fail') > 0 ? 1 : 0;

import { execFileSync } from 'node:child_process';
import { createMarketplace } from '@adaptor-marketplace/sdk';
import { expect, test } from 'vitest';
import { simulateRun } from './simulate-run.ts';

test('fields to set are one word each for a shell, whatever the marketplace wrote into them', async () => {
  const coinType = "0x2::sui::SUI'; echo ran; '";
  const simulation = {
    network: 'testnet',
    wouldSucceed: true,
    boundsHold: true,
    steps: [{ action: 'spend', adaptor: null, capId: '$(echo 0x5)', calls: [] }],
    takesAtMost: [{ coinType, amount: '1' }],
    bringsAtLeast: [],
  };
  const market = createMarketplace({
    baseUrl: 'https://market.example',
    fetch: async () => Response.json(simulation),
  });
  let out = '';
  const io = {
    out(text: string) {
      out += text;
    },
    err() {},
    env: {},
    liveErr: false,
  };
  const [owner, walletId] = ['0xa', '0xb'];
  const request = { action: 'spend', owner, walletId, coinType, amount: '1', recipient: '0xc' } as const;
  await simulateRun(io, market, request, {});
  const lines = out.split('\n').filter((line) => /^\w+:=/.test(line));
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${lines.join(' ')}`], { encoding: 'utf8' });
  const values = words
    .trimEnd()
    .split('\n')
    .map((word) => JSON.parse(word.slice(word.indexOf(':=') + 2)));
  expect(values).toEqual([
    '$(echo 0x5)',
    { takesAtMost: simulation.takesAtMost, bringsAtLeast: [], manifests: {} },
  ]);
});

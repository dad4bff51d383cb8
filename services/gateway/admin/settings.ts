import { z } from 'zod';
import type { DescribedSetting } from '../../../lib/config/describe.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';

export interface SettingsDependencies {
  /** Those of this process, secrets masked. */
  settings: readonly DescribedSetting[];
}

export const settingsBody = z
  .object({
    count: z.int().min(0),
    settings: z.array(
      z.object({
        name: z.string(),
        isSet: z.boolean().meta({ description: 'False: the default is in force.' }),
        value: z.string().meta({
          description:
            '`[masked]` for what may be a secret; of urls of providers, scheme and host. Empty: none.',
        }),
        meaning: z.string(),
      }),
    ),
  })
  .meta({ id: 'HostSettings' });

/** What the gateway was started with. */
export const listSettings = route({
  method: 'get',
  path: '/api/admin/settings',
  ...forAdmin,
  operation: {
    operationId: 'listSettings',
    tag: 'operator',
    summary: 'List the settings in force, without secrets',
    description: 'Those of the process that answers. Roles in other processes may have others.',
    response: { description: 'All settings.', schema: settingsBody },
    refusals: keyStoreProblems,
    example: {
      answer: {
        count: 1,
        settings: [{ name: 'TRUST_PROXY', isSet: true, value: '1', meaning: 'Number of proxies.' }],
      },
    },
  },
  async handler(_request, { settings }: SettingsDependencies) {
    return { count: settings.length, settings };
  },
});

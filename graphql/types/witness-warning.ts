import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect/types';
import { builder } from '../builder.ts';

export const witnessWarningType = builder.objectRef<WitnessWarning>('WitnessWarning').implement({
  description: 'Something that speaks against granting to a witness.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        'witness_returned, witness_has_more_than_drop, witness_not_usable or witness_unchecked; more may come.',
    }),
    detail: t.exposeString('detail', { description: 'What it is, and what to do.' }),
  }),
});

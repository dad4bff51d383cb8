import type { Case } from '../case.ts';
import { executionCases } from './execution.ts';
import { httpCases } from './http.ts';
import { ledgerCases } from './ledger.ts';
import { listCases } from './lists.ts';
import { nameAndSignatureCases } from './names-and-signatures.ts';
import { packageCases } from './packages.ts';
import { stateCases } from './state.ts';
import { subscriptionCases } from './subscriptions.ts';

export const cases: Case[] = [
  ...ledgerCases,
  ...listCases,
  ...stateCases,
  ...packageCases,
  ...nameAndSignatureCases,
  ...executionCases,
  ...subscriptionCases,
  ...httpCases,
];

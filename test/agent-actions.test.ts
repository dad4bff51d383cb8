import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actions } from '../lib/actions/slots.ts';
import type { DraftAnswer } from '../lib/actions/tools-api.ts';
import { runSteps } from '../lib/agent/shapes.ts';
import { explainExecutionError } from '../lib/chain/aborts/explain.ts';

#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Most of the time until the network serves is spent on loading modules.
enableCompileCache();
await import('./run.ts');

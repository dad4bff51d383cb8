import { tellCpuTime } from '../catalog/cpu.ts';

tellCpuTime();
// Being asked is no reason to go on running.
process.channel?.unref();

import { answerCpuTime } from './measure.ts';

answerCpuTime();
// The channel to the parent does not keep the process running.
process.channel?.unref();

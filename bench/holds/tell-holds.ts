import { answerUsage } from '../measure.ts';

answerUsage();
// The channel to the parent does not keep the process running.
process.channel?.unref();

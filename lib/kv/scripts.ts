/** Lua that runs in the store, where nothing comes between its commands. */
export interface Script {
  lua: string;
  keys: number;
}

// A counter without an end would refuse its caller for ever, so one is given to whatever lacks it.
const countOnce = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end`;

/** KEYS: counter. ARGV: window in ms. Answers the count and the milliseconds left. */
export const countScript: Script = { keys: 1, lua: `${countOnce}\nreturn {count, left}` };

/** KEYS: counter, record. ARGV: window in ms. Answers as `countScript` and the record; nothing without one. */
export const countForScript: Script = {
  keys: 2,
  lua: `local value = redis.call('GET', KEYS[2])\nif not value then return {} end${countOnce}\nreturn {count, left, value}`,
};

/** KEYS: key. ARGV: the expected value, the new one. Answers 1 where it was replaced. */
export const replaceScript: Script = {
  keys: 1,
  lua: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\nredis.call('SET', KEYS[1], ARGV[2])\nreturn 1`,
};

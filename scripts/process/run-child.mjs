import { spawn } from 'node:child_process';

const children = new Set();
const hasGroups = process.platform !== 'win32';
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Runs a program to its end and returns `{ code, output }`; with `show` its output goes straight to
 * this process's own. A signal that ends this process ends the child first, and every other end of
 * this process asks it to end, so that no child keeps running unseen.
 */
export function runChild(command, args, { cwd, env, show = false } = {}) {
  // This process is about to exit, and would leave behind what it starts now.
  if (ending) return new Promise(() => undefined);
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    // A process group can be ended as a whole, with everything that the child has started.
    detached: hasGroups,
  });
  children.add(child);
  const release = endInOrder();
  const pieces = [];
  child.stdout?.on('data', (piece) => pieces.push(piece));
  child.stderr?.on('data', (piece) => pieces.push(piece));
  return new Promise((resolve) => {
    const settle = (result) => {
      children.delete(child);
      release();
      resolve(result);
    };
    child.once('error', (error) => settle({ code: 127, output: error.message }));
    child.once('close', (code, signal) => {
      const ending = signal ? `ended by ${signal}\n` : '';
      settle({ code: code ?? 128, output: `${Buffer.concat(pieces)}${ending}` });
    });
  });
}

/**
 * From now on a signal ends running children, then this process through its `exit` handlers. The
 * returned function undoes that.
 */
export function endInOrder() {
  for (const signal of Object.keys(exitCodes)) process.on(signal, endOnSignal);
  return () => {
    for (const signal of Object.keys(exitCodes)) process.off(signal, endOnSignal);
  };
}

let ending = false;

process.once('exit', () => {
  for (const child of children) endGroup(child, 'SIGTERM');
});

function endOnSignal(signal) {
  if (ending) return;
  ending = true;
  const end = () => process.exit(exitCodes[signal]);
  if (children.size === 0) end();
  for (const child of children) {
    child.once('close', () => children.size === 0 && end());
    endGroup(child, signal);
  }
  setTimeout(() => {
    for (const child of children) endGroup(child, 'SIGKILL');
    end();
  }, 15_000).unref();
}

function endGroup(child, signal) {
  try {
    if (hasGroups) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has already ended.
  }
}

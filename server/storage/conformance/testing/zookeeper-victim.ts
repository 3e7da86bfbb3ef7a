import { openDatabase } from '@/db/open-database';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { addTo, createCommand } from '../../../engine/testing/counter-calls';
import { pause } from '../../../engine/testing/engine-rig';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import type { RecordKey } from '../../record-store';
import { openZookeeperStore } from '../../zookeeper/zookeeper-store';
import { recordAnswer } from './record-answer';
import { runUntilKilled, type VictimTask } from './run-until-killed';
import { startProcess } from './start-process';

export interface ZookeeperVictimTask extends VictimTask {
  zookeeper: string;
  /** The control database, a MySQL: others use it at the same time. */
  control: string;
  /**
   * The counter to which the victim keeps adding 1, the n-th time with the request id `add-n`; each
   * request is repeated until it is acknowledged.
   */
  counter: RecordKey;
}

const task = JSON.parse(process.argv[2] ?? '') as ZookeeperVictimTask;
const place = parseZookeeperUrl(task.zookeeper);
if (typeof place === 'string') throw new Error(place);
const database = await openDatabase({ kind: 'mysql', url: task.control });
const incarnation = await StoreIncarnation.open(database, 'default', Date.now());
const member = await startProcess(() => openZookeeperStore(place, incarnation));

async function count(): Promise<void> {
  await recordAnswer(member.engine.count(task.counter, createCommand()));
  for (let i = 0; ; i += 1) {
    const add = () => recordAnswer(addTo(member, task.counter, 1, `add-${i}`));
    while ((await add()).outcome !== 'applied') await pause(10);
    await pause(10);
  }
}

await Promise.all([count(), runUntilKilled(member, task)]);

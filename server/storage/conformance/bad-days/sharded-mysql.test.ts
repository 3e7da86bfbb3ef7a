import { liveThroughBadDays } from './live-through-bad-days';

liveThroughBadDays('sharded mysql');

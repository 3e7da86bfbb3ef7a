import { liveThroughBadDays } from './live-through-bad-days';

liveThroughBadDays('sqlite');

import { JsonReporter } from 'vitest/node';

/**
 * vitest's JSON report, with what its own lacks: `errors`, those that no test caught, such as a
 * rejection without a handler. Each is `{ message, path, test }`; the latter two, if known, are the
 * file that ran at that time and its last test that had begun. Such an error fails the run.
 */
export default class ReportWithErrors extends JsonReporter {
  #errors = [];

  async onTestRunEnd(modules, errors) {
    this.#errors = errors.map((error) => ({
      message: error.stack ?? error.message,
      path: error.VITEST_TEST_PATH,
      test: error.VITEST_TEST_NAME,
    }));
    await super.onTestRunEnd(modules);
  }

  async writeReport(report) {
    await super.writeReport(JSON.stringify({ ...JSON.parse(report), errors: this.#errors }));
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { ADMIN_PASSWORD } from '../service/service.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const Answer = z.object({
  status: z.string(),
  error: z.string().exactOptional(),
  data: z.object({ result: z.array(z.unknown()) }).exactOptional(),
})

/** A Prometheus that asks services of a test every second. */
export class Prometheus {
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  static async start(folder: string, serviceUrls: readonly string[]): Promise<Prometheus> {
    const port = await freePort()
    const targets = serviceUrls.map((url) => new URL(url).host)
    const scrape = {
      job_name: 'cairn',
      basic_auth: { username: 'admin', password: ADMIN_PASSWORD },
      static_configs: [{ targets }],
    }
    const config = { global: { scrape_interval: '1s' }, scrape_configs: [scrape] }
    const file = join(folder, 'prometheus.yml')
    writeFileSync(file, JSON.stringify(config))
    const args = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'metrics')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]
    const child = spawn('prometheus', args, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`)
    await until(() => prometheus.#isScraping(targets.length), 60_000)
    return prometheus
  }

  /** How many series answer a query. Fails for a query that Prometheus does not take. */
  async count(query: string): Promise<number> {
    const path = `/api/v1/query?query=${encodeURIComponent(query)}`
    const answer = Answer.parse(await (await fetch(`${this.#url}${path}`)).json())
    if (answer.data !== undefined) return answer.data.result.length
    throw new Error(`${query}: ${answer.error ?? answer.status}`)
  }

  /** Rates need more than one sample. */
  async #isScraping(targets: number): Promise<boolean> {
    try {
      return (await this.count('count_over_time(up[1m]) >= 3')) === targets
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return false
      throw error
    }
  }
}

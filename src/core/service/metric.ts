/** A number with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  /** Appended to the name of the metric, such as `_sum`. */
  readonly suffix?: string
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly samples: readonly Sample[]
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', samples: [{ value }] }
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', samples: [{ value }] }
}

/** One sample for each value of a label. */
export function byLabel(
  [type, name, help]: readonly [Metric['type'], string, string],
  label: string,
  values: ReadonlyMap<string, number>,
): Metric {
  const samples = [...values].map(([key, value]) => ({ labels: { [label]: key }, value }))
  return { name, help, type, samples }
}

/** The text format of Prometheus, version 0.0.4. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ labels = {}, suffix = '', value }) => `${name}${suffix}${renderLabels(labels)} ${value}`,
  )
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

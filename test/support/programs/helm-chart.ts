import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { rootFile } from './root-file.ts'

const CHART = rootFile('deploy/chart')
const Chart = z.object({ appVersion: z.string() })
type Values = Readonly<Record<string, unknown>>

/** The actions of templates that the chart uses: a value with its functions, `if` and `end`. */
const ACTION = /(\n?[ \t]*)?\{\{(-?) (.*?) (-?)\}\}/g

/**
 * The objects of the chart with the values of a file, as helm makes them. It is no helm: it knows the actions
 * that our templates use, and fails for others.
 */
export function renderChart(release: string, valuesFile: string | null): unknown[] {
  const own = readValues('values.yaml')
  const given = valuesFile === null ? {} : readValues(valuesFile)
  const { appVersion: AppVersion } = Chart.parse(readValues('Chart.yaml'))
  const unknown = Object.keys(given).filter((name) => !(name in own))
  if (unknown.length > 0) throw new Error(`the chart has no values ${unknown.join(', ')}`)
  const data = { Values: { ...own, ...given }, Release: { Name: release }, Chart: { AppVersion } }
  const folder = join(CHART, 'templates')
  return readdirSync(folder).flatMap((file) => {
    const text = render(readFileSync(join(folder, file), 'utf8'), data)
    return text
      .split(/^---$/m)
      .map((part): unknown => parse(part))
      .filter((part) => part !== null)
  })
}

function readValues(file: string): Values {
  return z.record(z.string(), z.unknown()).parse(parse(readFileSync(join(CHART, file), 'utf8')))
}

function render(text: string, data: Values): string {
  const shown = [true]
  let result = ''
  let last = 0
  for (const { 0: whole, 1: space = '', 2: trims, 3: action = '', index } of text.matchAll(
    ACTION,
  )) {
    const isShown = shown.every(Boolean)
    if (isShown) result += text.slice(last, index) + (trims === '-' ? '' : space)
    last = index + whole.length
    if (action.startsWith('if ')) shown.push(isTrue(valueOf(action.slice(3), data)))
    else if (action === 'end') shown.pop()
    else if (isShown) result += String(valueOf(action, data))
  }
  if (shown.length !== 1) throw new Error('an action is not ended')
  return result + text.slice(last)
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== '' && value !== 0 && value !== undefined
}

function valueOf(action: string, data: Values): unknown {
  const [path = '', ...functions] = action.split(' | ')
  return functions.reduce(
    (value, name) => {
      if (name === 'quote') return JSON.stringify(String(value))
      if (name.startsWith('default ')) return isTrue(value) ? value : at(name.slice(8), data)
      throw new Error(`the renderer knows no ${name}`)
    },
    at(path, data),
  )
}

function at(path: string, data: Values): unknown {
  if (!path.startsWith('.')) throw new Error(`the renderer knows no ${path}`)
  const found = path
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => Object(value)[name], data)
  if (found === undefined) throw new Error(`the chart has no value ${path}`)
  return found
}

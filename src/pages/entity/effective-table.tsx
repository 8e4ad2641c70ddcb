import type { EffectiveForm, ValuePlace } from '../../document/effective/effective-values.ts'
import { moreOf } from '../kit/lists.tsx'

interface EffectiveTableProps {
  readonly form: EffectiveForm
  /** The address of a line of the document; null for readers who may not see it. */
  readonly addressOf: (line: number) => string | null
}

/** The most values on one page. */
const MAX_VALUES = 500

/** A pipeline with its template and params filled in: each value, and the element that it comes from. */
export function EffectiveTable({ form, addressOf }: EffectiveTableProps) {
  const left = form.values.length - MAX_VALUES
  return (
    <>
      <table class="fact-table" aria-label="Effective values">
        <thead>
          <tr>
            <th>Part</th>
            <th>Value</th>
            <th>From</th>
          </tr>
        </thead>
        <tbody>
          {form.values.slice(0, MAX_VALUES).map(({ path, value, written, from, params = [] }) => (
            <tr>
              <td class="muted">{path.replaceAll('/', ' › ')}</td>
              <td>
                <code title={written}>{value}</code>
              </td>
              <td>
                <From place={from} addressOf={addressOf} />
                {params.map(({ name, ...place }) => (
                  <>
                    {', '}
                    <From place={place} addressOf={addressOf} label={`param ${name}`} />
                  </>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="muted">{moreOf(left)}</p>}
    </>
  )
}

interface FromProps extends Pick<EffectiveTableProps, 'addressOf'> {
  readonly place: ValuePlace
  readonly label?: string
}

function From({ place: { entity, line }, addressOf, label }: FromProps) {
  const href = addressOf(line)
  const text = label ?? entity.replace('/', ' ')
  return href === null ? <>{text}</> : <a href={href}>{text}</a>
}

import { dayOf } from './history-query.ts'

interface DateFieldProps {
  readonly name: 'since' | 'until'
  /** The moment at which the day starts or ends, or null. */
  readonly time: number | null
}

/** A field for a day: in UTC, and with scripts on the calendar of the reader. */
export function DateField({ name, time }: DateFieldProps) {
  return (
    <input
      type="date"
      name={name}
      value={dayOf(time)}
      data-day={name === 'since' ? 'start' : 'end'}
      data-at={time === null ? undefined : new Date(time).toISOString()}
    />
  )
}

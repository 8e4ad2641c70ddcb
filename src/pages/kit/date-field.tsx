import { refusedAs } from './forms.tsx'

interface DateFieldProps {
  readonly name: string
  /** Whether it sends the moment at which the day starts or the one at which it ends. */
  readonly at: 'start' | 'end'
  /** The moment at which the day starts or ends, or null. */
  readonly time: number | null
  /** Why its value was refused. */
  readonly problem?: string | undefined
}

/** A field for a day: in UTC, and with scripts on the calendar of the reader. */
export function DateField({ name, at, time, problem }: DateFieldProps) {
  const moment = time === null ? undefined : new Date(time).toISOString()
  return (
    <input
      type="date"
      name={name}
      value={moment?.slice(0, 10)}
      data-day={at}
      data-at={moment}
      {...refusedAs(name, problem)}
    />
  )
}

/** The first and the last day of a range, and the zone that they are in. */
export function DateRange({
  label = 'From',
  since,
  until,
}: {
  readonly label?: string
  /** In milliseconds; null for an open end. */
  readonly since: number | null
  readonly until: number | null
}) {
  return (
    <>
      <label>
        {label} <DateField name="since" at="start" time={since} />
      </label>
      <label>
        to <DateField name="until" at="end" time={until} />
      </label>
      <InUtc />
    </>
  )
}

/** Says in which zone the fields of a form are; with scripts they are on the clock of the reader. */
export function InUtc() {
  return <span class="without-script"> in UTC</span>
}

// What a person writes into the configuration to be told where they are.
import type { ConfigView } from "@/api/generated";

export interface NotifierChoice {
  kind: string;
  label: string;
  lines: string;
  /** What is set where the keeper is started; the file names variables, never secrets. */
  variables: readonly { name: string; what: string }[];
}

export const NOTIFIERS: readonly NotifierChoice[] = [
  {
    kind: "ntfy",
    label: "A phone, by ntfy",
    lines: 'url_env = "NTFY_TOPIC"',
    variables: [{ name: "NTFY_TOPIC", what: "a topic that nobody guesses, or its whole address" }],
  },
  {
    kind: "telegram",
    label: "Telegram",
    lines: 'secret_env = "TELEGRAM_TOKEN"\nto = ["CHAT-ID"]',
    variables: [{ name: "TELEGRAM_TOKEN", what: "the token of a bot" }],
  },
  {
    kind: "email",
    label: "E-mail",
    lines:
      'server = "mail.example.org:587"\nuser = "abide@example.org"\nsecret_env = "MAIL_PASSWORD"\nfrom = "abide@example.org"\nto = ["you@example.org"]',
    variables: [{ name: "MAIL_PASSWORD", what: "the password of that user" }],
  },
  {
    kind: "slack",
    label: "Slack",
    lines: 'url_env = "SLACK_URL"',
    variables: [{ name: "SLACK_URL", what: "the address of an incoming webhook" }],
  },
  {
    kind: "discord",
    label: "Discord",
    lines: 'url_env = "DISCORD_URL"',
    variables: [{ name: "DISCORD_URL", what: "the address of a webhook" }],
  },
  {
    kind: "pagerduty",
    label: "PagerDuty",
    lines: 'secret_env = "PAGERDUTY_KEY"',
    variables: [{ name: "PAGERDUTY_KEY", what: "the routing key of an Events API v2 integration" }],
  },
  {
    kind: "webhook",
    label: "A webhook of your own",
    lines: 'url_env = "HOOK_URL"',
    variables: [{ name: "HOOK_URL", what: "the address that takes a POST" }],
  },
  { kind: "desktop", label: "The desktop of the keeper's machine", lines: "", variables: [] },
];

export function notifierLines({ kind, lines }: NotifierChoice): string {
  return `[[notify]]\nkind = "${kind}"${lines ? `\n${lines}` : ""}`;
}

/** Whether a service is named that tells somebody; unknown until the configuration was read. */
export function hasNotifier(config: ConfigView | undefined): boolean | null {
  return config ? config.items.some((one) => one.key.startsWith("notify[")) : null;
}

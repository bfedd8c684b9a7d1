#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Send an SMS through ofono-mcp and print the answer to it, with curl and jq.
#
#   send_and_wait.sh +36201234567 "Are you coming?" [SECONDS, at most 120]
#
# The token stands in a file that only you can read, so that no list of processes shows it:
#   header = "Authorization: Bearer TOKEN"
# is ~/.config/ofono-mcp.curl, unless OFONO_MCP_CURL names another; "cacert = FILE" may stand
# there, too. OFONO_MCP_URL is http://127.0.0.1:9531/mcp unless it is set.
# Ends with 0 when an answer came, with 1 when none did or the gateway refused.
set -eu

url=${OFONO_MCP_URL:-http://127.0.0.1:9531/mcp}
secret=${OFONO_MCP_CURL:-$HOME/.config/ofono-mcp.curl}
version=2026-07-28

# call TOOL ARGUMENTS: the structured result, or the end with what is wrong
call() {
	answer=$(jq -cn --arg tool "$1" --argjson arguments "$2" --arg version $version '
		{jsonrpc: "2.0", id: 1, method: "tools/call",
		 params: {name: $tool, arguments: $arguments, _meta: {
		   "io.modelcontextprotocol/protocolVersion": $version,
		   "io.modelcontextprotocol/clientCapabilities": {},
		   "io.modelcontextprotocol/clientInfo": {name: "send_and_wait", version: "1"}}}}' |
		curl -sS --max-time 150 --config "$secret" --data-binary @- \
			-H 'Content-Type: application/json' \
			-H 'Accept: application/json, text/event-stream' \
			-H "MCP-Protocol-Version: $version" \
			-H 'Mcp-Method: tools/call' -H "Mcp-Name: $1" "$url")
	printf '%s' "$answer" | jq -e '
		if .error then .error.message + "\n" | halt_error(1)
		elif .result.isError then
			.result.content[0].text | fromjson | .message + " " + .fix + "\n" | halt_error(1)
		else .result.structuredContent end'
}

[ $# -eq 2 ] || [ $# -eq 3 ] || {
	echo "usage: $0 NUMBER TEXT [SECONDS]" >&2
	exit 2
}
# Where the inbox ends now: what comes after that is the answer, however soon it comes.
page=$(call list_sms '{"limit": 1}')
cursor=$(printf '%s' "$page" | jq -r .wait_cursor)
order=$(jq -cn --arg number "$1" --arg text "$2" '{to_phone_number: $number, sms_text: $text}')
sent=$(call send_sms "$order")
printf '%s' "$sent" | jq -r '"message \(.message_id) is \(.state)"' >&2
wait=$(jq -cn --arg number "$1" --arg after "$cursor" --argjson seconds "${3:-120}" \
	'{from: $number, after: $after, timeout_seconds: $seconds}')
heard=$(call wait_for_sms "$wait")
printf '%s' "$heard" |
	jq -r 'if .found then .message.text else "no answer came\n" | halt_error(1) end'

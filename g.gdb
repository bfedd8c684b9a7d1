set pagination off
handle SIGTERM nostop pass
break notifications_close_id
commands
bt 3
finish
end
run --control /tmp/l/sb/fake
bt

module lockyard

go 1.19
